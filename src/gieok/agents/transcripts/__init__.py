"""What readers of transcripts share: lines in, messages out. Pure; whoever reads files or databases
brings the lines.
"""
