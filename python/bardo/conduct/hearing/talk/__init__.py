"""Talk that orders nothing: news, reports, remarks, courtesies and announcements."""
