"""What a performance model predicted, beside what the trace measured."""
