package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// thisMachine describes where the measurement was made.
func thisMachine() string {
	text := fmt.Sprintf("%s/%s with %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	info, err := os.ReadFile("/proc/cpuinfo")
	if model := field(info, "model name"); err == nil && model != "" {
		text += " (" + model + ")"
	}
	return text
}

// ownPeak returns how much memory this process has had in use at most, in
// bytes; 0 where there is no /proc, and where nobody needs it either.
func ownPeak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	kib, err := strconv.ParseInt(strings.TrimSuffix(field(status, "VmHWM"), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// field returns the first value of a name in a file of /proc, "" if it has none.
func field(text []byte, name string) string {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
