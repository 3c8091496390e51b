"""Word processors' documents as Markdown text: Word (.docx) and Hangul (.hwpx)."""
