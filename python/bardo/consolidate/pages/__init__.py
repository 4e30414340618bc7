"""Pages that people read: the dossier and the playbook."""
