"""Dies before the first question.

Expected: fault crash
"""

raise ValueError("no deck\x1b[31m today")
