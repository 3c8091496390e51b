"""Web pages for the person whose memory it is.

The pages are rendered on the server, need no build step, and load nothing from other hosts.
"""
