package daemon

import "testing"

func makeFIFO(testing.TB, string) {}
