package transcript

import (
	"cmp"
	"regexp"
	"slices"
)

var versionPattern = regexp.MustCompile(`^(0|[1-9]\d{0,4})(\.(0|[1-9]\d{0,4})){0,2}$`)

func refCircumstances(o, usage refObject) Circumstances {
	c := Circumstances{
		Effort:      refCircumstance(cmp.Or(o.str("perTurnEffort"), o.str("effort")), Efforts),
		ServiceTier: refCircumstance(usage.str("service_tier"), ServiceTiers),
		Speed:       refCircumstance(usage.str("speed"), Speeds),
		Entrypoint:  refCircumstance(o.str("entrypoint"), Entrypoints),
	}
	if version := o.str("version"); versionPattern.MatchString(version) {
		c.Version = version
	}
	return c
}

// refPermissionMode returns the permission mode that an entry states.
func refPermissionMode(o refObject) Circumstance {
	if !o.is("type", "user") && !o.is("type", "permission-mode") {
		return UnknownCircumstance
	}
	return refCircumstance(o.str("permissionMode"), PermissionModes)
}

func refCircumstance(value string, list []string) Circumstance {
	switch i := slices.Index(list, value); {
	case value == "":
		return UnknownCircumstance
	case i < 0:
		return OtherCircumstance
	default:
		return Circumstance(i)
	}
}
