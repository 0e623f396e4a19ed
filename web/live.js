// Draws the parts of a page that change again, without a jump. A page without this script shows the same, as it was when it was loaded.
