"""Findings of a run, or of the reading of one of its files, by their codes."""


def findings(read):
    """List the findings of a run (`diagnostics`) or of a reading (`findings`)."""
    return read.diagnostics if hasattr(read, "diagnostics") else read.findings


def codes(read):
    """List the codes of the findings in their order."""
    return [finding.code for finding in findings(read)]


def code_set(read):
    """Collect the codes of the findings."""
    return set(codes(read))


def code_counts(read):
    """Map the codes of the findings to their counts."""
    return {finding.code: finding.count for finding in findings(read)}


def only_finding(read, code):
    """Find the finding with a code, of which there is exactly one."""
    (found,) = [finding for finding in findings(read) if finding.code == code]
    return found
