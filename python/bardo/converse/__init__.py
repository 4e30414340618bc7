"""What a message of a conversation needs: its intent, the memories that its answer needs, and its worth."""
