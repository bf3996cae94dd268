module motet

go 1.19
