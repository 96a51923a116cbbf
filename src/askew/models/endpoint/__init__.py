"""What asking over HTTP needs: a client, pictures as data URLs, a pace, a budget, and a judgement on every reply."""
