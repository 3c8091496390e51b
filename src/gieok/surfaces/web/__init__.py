"""Pages for the person whose memory it is, in a browser: server-rendered, no build, nothing from
elsewhere.
"""
