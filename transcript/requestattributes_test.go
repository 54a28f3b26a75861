package transcript

import (
	"slices"
	"testing"
)

func TestRequestAttributes(t *testing.T) {
	for _, tt := range []struct {
		name, entry, usage string
		want               RequestAttributes
	}{
		{name: "none stated"},
		{
			name:  "all stated",
			entry: `"effort":"high","perTurnEffort":null,"entrypoint":"claude-vscode","version":"2.1.270"`,
			usage: `"service_tier":"priority","speed":"fast"`,
			want: RequestAttributes{
				Effort: enumOf(Efforts, "high"), ServiceTier: enumOf(ServiceTiers, "priority"), Speed: enumOf(Speeds, "fast"),
				Entrypoint: enumOf(Entrypoints, "claude-vscode"), Version: "2.1.270",
			},
		},
		{
			name:  "new values",
			entry: `"effort":"HIGH","entrypoint":"cli2","version":"2.1.270-beta"`,
			usage: `"service_tier":" ","speed":"slow"`,
			want: RequestAttributes{
				Effort: EnumOther, ServiceTier: EnumOther, Speed: EnumOther, Entrypoint: EnumOther,
			},
		},
		{
			name:  "values of the wrong type",
			entry: `"effort":["high"],"perTurnEffort":3,"entrypoint":{"a":"cli"},"version":2.1`,
			usage: `"service_tier":null,"speed":true`,
		},
		{name: "empty values", entry: `"effort":"","perTurnEffort":"","entrypoint":"","version":""`, usage: `"service_tier":"","speed":""`},
		{name: "the names of no value", entry: `"effort":"unknown","entrypoint":"other"`, want: RequestAttributes{Entrypoint: EnumOther}},
		{name: "escapes", entry: `"effort":"l\u006fw","version":"2\u002e1"`, want: RequestAttributes{Effort: enumOf(Efforts, "low"), Version: "2.1"}},
		{name: "effort of the turn", entry: `"perTurnEffort":"max","effort":"low"`, want: RequestAttributes{Effort: enumOf(Efforts, "max")}},
		{name: "new effort of the turn", entry: `"effort":"low","perTurnEffort":"least"`, want: RequestAttributes{Effort: EnumOther}},
		{name: "not of the message", usage: `"effort":"high","entrypoint":"cli","version":"2.1.0"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			entry := `{"type":"assistant","message":{"model":"x","usage":{` + tt.usage + `}}`
			if tt.entry != "" {
				entry += "," + tt.entry
			}
			equal(t, "requestAttributes", parseOne(t, entry+"}").Message.RequestAttributes, tt.want)
		})
	}
}

// enumOf returns the index of a value.
func enumOf(list []string, value string) Enum { return Enum(slices.Index(list, value)) }

func TestPermissionMode(t *testing.T) {
	for line, want := range map[string]Enum{
		`{"type":"permission-mode","permissionMode":"bypassPermissions","sessionId":"s"}`:             enumOf(PermissionModes, "bypassPermissions"),
		`{"permissionMode":"plan","message":{"content":"x"},"type":"user"}`:                           enumOf(PermissionModes, "plan"),
		`{"type":"user","isSidechain":true,"permissionMode":"auto"}`:                                  enumOf(PermissionModes, "auto"),
		`{"type":"user","permissionMode":"new"}`:                                                      EnumOther,
		`{"type":"user","permissionMode":""}`:                                                         EnumUnknown,
		`{"type":"user","permissionMode":null}`:                                                       EnumUnknown,
		`{"type":"permission-mode","mode":"plan"}`:                                                    EnumUnknown,
		`{"type":"permission-mode"}`:                                                                  EnumUnknown,
		`{"type":"mode","permissionMode":"plan"}`:                                                     EnumUnknown,
		`{"type":"attachment","permissionMode":"plan"}`:                                               EnumUnknown,
		`{"type":"assistant","permissionMode":"plan","message":{"usage":{},"permissionMode":"plan"}}`: EnumUnknown,
	} {
		equal(t, line, parseOne(t, line).PermissionMode, want)
	}
}

func TestVersion(t *testing.T) {
	for version, want := range map[string]bool{
		"2.1.232": true, "1.0.57": true, "2.1": true, "3": true, "0.0.0": true, "99999.99999.99999": true, "10.20.30": true,
		"": false, ".": false, "2.": false, ".1": false, "2..1": false, "2.1.2.3": false, "2.1.": false, "02.1": false, "2.01": false, "2.1.00": false,
		"100000": false, "v2.1": false, "2.1.0-rc1": false, "2. 1": false, "2,1": false, "-2.1": false, "٢.1": false,
	} {
		equal(t, version, IsVersion([]byte(version)), want)
	}
}

// Every list is short enough for an Enum, begins with the same values and repeats no
// value.
func TestEnumLists(t *testing.T) {
	for _, list := range [][]string{PermissionModes, Efforts, ServiceTiers, Speeds, Entrypoints} {
		equal(t, "first value", list[EnumUnknown], "unknown")
		equal(t, "second value", list[EnumOther], "other")
		sorted := slices.Sorted(slices.Values(list))
		if len(slices.Compact(sorted)) != len(list) || len(list) > 255 {
			t.Errorf("invalid list %q", list)
		}
	}
	equal(t, "mode", PermissionModes[PlanMode], "plan")
}
