"""Tables as people have them: what columns hold, and how numbers, categories, dates and gaps become features."""
