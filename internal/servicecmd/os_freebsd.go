package servicecmd

func (*environment) detectPlatform(func(string) string) {}
