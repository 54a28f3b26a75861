//go:build unix && !linux

package daemon

func (*world) devices(string, string) {}
