package registry

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

func domain() string {
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	machine, _ := os.ReadFile("/etc/machine-id")
	return "linux:" + strings.TrimSpace(string(machine)) + ":" + namespace
}

// startedAt compares the time from the start of the system until the start of a
// process, in ticks. It is unknown if /proc hides the processes of other users.
func startedAt(pid int, stated string) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	// The name of the program is in parentheses and may contain any character.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return len(fields) < 20 || fields[19] == stated
}
