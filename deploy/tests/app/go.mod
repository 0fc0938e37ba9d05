module remora.test/app

go 1.24
