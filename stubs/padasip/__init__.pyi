from padasip import filters as filters
