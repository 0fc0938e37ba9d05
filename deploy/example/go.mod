module remora.test/example

go 1.24
