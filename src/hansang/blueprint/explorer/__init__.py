"""Looking into tables without code: browsing items, asking access patterns, filling in entities.

It knows designs and nothing of HTML, so that every surface can show the same.
"""
