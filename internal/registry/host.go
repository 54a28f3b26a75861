package registry

import (
	"cmp"
	"strings"
)

// A host describes the processes of this machine as Claude Code does.
//
// A process is identified by its number, the domain of the number, and its start. The
// domain is the system, and on Linux "linux:MACHINE:NAMESPACE": the same number is
// another process in a container and on another machine that shares the directory. A
// process that was killed leaves its file, and another process may get its number.
type host struct {
	domain string // "" if unknown
	exists func(pid int) bool
	// startedAt reports whether a process started at a time, stated in the form of Claude
	// Code. It is true if the start of the process is unknown.
	startedAt func(pid int, stated string) bool
}

func thisHost() host { return host{domain: domain(), exists: exists, startedAt: startedAt} }

// runs reports whether the process that a file describes runs. An unknown property does
// not count as a difference.
func (h host) runs(p *process) bool {
	if !h.exists(p.PID) || !sameDomain(h.domain, p.Domain) {
		return false
	}
	stated := cmp.Or(p.FileTime, p.ProcStart)
	return stated == "" || h.startedAt(p.PID, stated)
}

// sameDomain reports whether two domains may be the same.
func sameDomain(a, b string) bool {
	if a == "" || b == "" {
		return true
	}
	as, bs := strings.SplitN(a, ":", 3), strings.SplitN(b, ":", 3)
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] && as[i] != "" && bs[i] != "" {
			return false
		}
	}
	return true
}
