"""Who hears about which job: a routes file, and what it says about one alert.

rankscope.routing.current reads the file and keeps the last good one in Redis; all else is pure.
"""
