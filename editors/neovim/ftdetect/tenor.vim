autocmd BufRead,BufNewFile *.tenor setfiletype tenor
