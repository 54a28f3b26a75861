package usage

import (
	"errors"
	"fmt"
	"time"
)

// ZoneOffset is the form of a time zone without a name: its offset from UTC.
const ZoneOffset = "-07:00"

var errOffset = errors.New("not the offset of a time zone")

// ParseZone returns the time zone with a name of the time zone database, or with an
// offset from UTC such as +05:30. Offsets are quarters of an hour from -12:00 to
// +14:00.
func ParseZone(name string) (*time.Location, error) {
	if at, err := time.Parse(ZoneOffset, name); err == nil {
		const hour, unit = 60 * 60, 15 * 60 // seconds
		_, offset := at.Zone()
		if offset < -12*hour || offset > 14*hour || offset%unit != 0 {
			return nil, errOffset
		}
		return time.FixedZone(name, offset), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("load time zone: %w", err)
	}
	return zone, nil
}
