"""A leaderboard: who is best, in what place and on the front, and how sure we are."""
