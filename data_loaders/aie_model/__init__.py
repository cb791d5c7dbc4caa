"""Files of a performance model beside an AIE trace: predicted cycles and a planned schedule."""
