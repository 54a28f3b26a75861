package servicecmd

import (
	"fmt"
	"os"

	system "golang.org/x/sys/windows"
)

// detect returns the environment of a service command, and the account that the
// service is for.
func detect(manager string, env func(string) string) (environment, account, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return environment{}, account{}, fmt.Errorf("look up the current user: %w", err)
	}
	e := environment{manager: manager, root: system.GetCurrentProcessToken().IsElevated()}
	return e, account{name: env("USERNAME"), home: home}, nil
}
