"""Conditions of rejections: times, dates, channels, limits, exceptions and requirements."""
