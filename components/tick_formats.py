"""Formats (of d3) in which plotly writes ticks that it chooses itself: with as many digits as two
neighbouring ticks may need to differ.
"""

NUMBER_TICKS = ",.12~r"
"""Numbers with a comma between thousands: 1,234,567.5.

d3's default of six digits would write 1,234,570 for two ticks.
"""
SHARE_TICKS = ".6~p"
"""Ratios as percentages, without digits after the point if they are zeros: 20%, 12.5%."""
