package transcript

import (
	"slices"
	"testing"
)

func TestCircumstances(t *testing.T) {
	for _, tt := range []struct {
		name, entry, usage string
		want               Circumstances
	}{
		{name: "none stated"},
		{
			name:  "all stated",
			entry: `"effort":"high","perTurnEffort":null,"entrypoint":"claude-vscode","version":"2.1.270"`,
			usage: `"service_tier":"priority","speed":"fast"`,
			want: Circumstances{
				Effort: at(Efforts, "high"), ServiceTier: at(ServiceTiers, "priority"), Speed: at(Speeds, "fast"),
				Entrypoint: at(Entrypoints, "claude-vscode"), Version: "2.1.270",
			},
		},
		{
			name:  "new values",
			entry: `"effort":"HIGH","entrypoint":"cli2","version":"2.1.270-beta"`,
			usage: `"service_tier":" ","speed":"slow"`,
			want: Circumstances{
				Effort: OtherCircumstance, ServiceTier: OtherCircumstance, Speed: OtherCircumstance, Entrypoint: OtherCircumstance,
			},
		},
		{
			name:  "values of the wrong type",
			entry: `"effort":["high"],"perTurnEffort":3,"entrypoint":{"a":"cli"},"version":2.1`,
			usage: `"service_tier":null,"speed":true`,
		},
		{name: "empty values", entry: `"effort":"","perTurnEffort":"","entrypoint":"","version":""`, usage: `"service_tier":"","speed":""`},
		{name: "the names of no value", entry: `"effort":"unknown","entrypoint":"other"`, want: Circumstances{Entrypoint: OtherCircumstance}},
		{name: "escapes", entry: `"effort":"l\u006fw","version":"2\u002e1"`, want: Circumstances{Effort: at(Efforts, "low"), Version: "2.1"}},
		{name: "effort of the turn", entry: `"perTurnEffort":"max","effort":"low"`, want: Circumstances{Effort: at(Efforts, "max")}},
		{name: "new effort of the turn", entry: `"effort":"low","perTurnEffort":"least"`, want: Circumstances{Effort: OtherCircumstance}},
		{name: "not of the message", usage: `"effort":"high","entrypoint":"cli","version":"2.1.0"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			entry := `{"type":"assistant","message":{"model":"x","usage":{` + tt.usage + `}}`
			if tt.entry != "" {
				entry += "," + tt.entry
			}
			equal(t, "circumstances", parseOne(t, entry+"}").Message.Circumstances, tt.want)
		})
	}
}

// at returns the index of a value.
func at(list []string, value string) Circumstance { return Circumstance(slices.Index(list, value)) }

func TestPermissionMode(t *testing.T) {
	for line, want := range map[string]Circumstance{
		`{"type":"permission-mode","permissionMode":"bypassPermissions","sessionId":"s"}`:             at(PermissionModes, "bypassPermissions"),
		`{"permissionMode":"plan","message":{"content":"x"},"type":"user"}`:                           at(PermissionModes, "plan"),
		`{"type":"user","isSidechain":true,"permissionMode":"auto"}`:                                  at(PermissionModes, "auto"),
		`{"type":"user","permissionMode":"new"}`:                                                      OtherCircumstance,
		`{"type":"user","permissionMode":""}`:                                                         UnknownCircumstance,
		`{"type":"user","permissionMode":null}`:                                                       UnknownCircumstance,
		`{"type":"permission-mode","mode":"plan"}`:                                                    UnknownCircumstance,
		`{"type":"permission-mode"}`:                                                                  UnknownCircumstance,
		`{"type":"mode","permissionMode":"plan"}`:                                                     UnknownCircumstance,
		`{"type":"attachment","permissionMode":"plan"}`:                                               UnknownCircumstance,
		`{"type":"assistant","permissionMode":"plan","message":{"usage":{},"permissionMode":"plan"}}`: UnknownCircumstance,
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

// Every list is short enough for a Circumstance, begins with the same values and has
// none twice.
func TestCircumstanceLists(t *testing.T) {
	for _, list := range [][]string{PermissionModes, Efforts, ServiceTiers, Speeds, Entrypoints} {
		equal(t, "first value", list[UnknownCircumstance], "unknown")
		equal(t, "second value", list[OtherCircumstance], "other")
		sorted := slices.Sorted(slices.Values(list))
		if len(slices.Compact(sorted)) != len(list) || len(list) > 255 {
			t.Errorf("invalid list %q", list)
		}
	}
}
