"""Orders that people give: standing orders, bans, approvals, refused offers, and limits."""
