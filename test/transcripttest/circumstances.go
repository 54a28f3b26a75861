package transcripttest

import (
	"fmt"
	"hash/crc32"
)

// circumstances returns the JSON of what a line states about how its request was made.
// All lines of a message state the same.
func circumstances(message string) string {
	n := crc32.ChecksumIEEE([]byte(message)) % 60
	efforts := [...]string{"low", "medium", "high", "xhigh", "max"}
	entrypoints := [...]string{"cli", "claude-vscode", "sdk-ts", "new"}
	return fmt.Sprintf(`,"effort":%q,"entrypoint":%q,"version":"2.1.%d"`,
		efforts[n%5], entrypoints[n%4], 5+n)
}
