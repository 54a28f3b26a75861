package status

import (
	"os"
	"os/user"
	"slices"
	"strconv"
)

// InstanceHeader is the header of every response of a daemon that identifies its
// process: a random text, which is also in the state directory.
const InstanceHeader = "Ccwatchd-Instance"

const (
	localSystem   = "SYSTEM" // the user of services on Windows, whose name is translated
	localSystemID = "S-1-5-18"
)

// CurrentUser returns the name of the user of this process.
func CurrentUser() string {
	u, err := user.Current()
	switch {
	case err != nil:
		return "uid " + strconv.Itoa(os.Geteuid())
	case u.Uid == localSystemID:
		return localSystem
	}
	return u.Username
}

// IsService reports whether the user with a name runs system services, which read the
// sessions of other users.
func IsService(name string) bool {
	return slices.Contains([]string{"root", "ccwatchd", localSystem}, name)
}

// Process returns the process of a daemon, for messages: its pid and user.
func (s *Status) Process() string {
	text := "pid " + strconv.Itoa(s.PID)
	if s.User != "" {
		text += " of the user " + s.User
	}
	return text
}
