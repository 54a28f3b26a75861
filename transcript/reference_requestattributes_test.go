package transcript

import (
	"cmp"
	"regexp"
	"slices"
)

var versionPattern = regexp.MustCompile(`^(0|[1-9]\d{0,4})(\.(0|[1-9]\d{0,4})){0,2}$`)

func refRequestAttributes(o, usage refObject) RequestAttributes {
	c := RequestAttributes{
		Effort:      refEnum(cmp.Or(o.str("perTurnEffort"), o.str("effort")), Efforts),
		ServiceTier: refEnum(usage.str("service_tier"), ServiceTiers),
		Speed:       refEnum(usage.str("speed"), Speeds),
		Entrypoint:  refEnum(o.str("entrypoint"), Entrypoints),
	}
	if version := o.str("version"); versionPattern.MatchString(version) {
		c.Version = version
	}
	return c
}

// refPermissionMode returns the permission mode that an entry states.
func refPermissionMode(o refObject) Enum {
	if !o.is("type", "user") && !o.is("type", "permission-mode") {
		return EnumUnknown
	}
	return refEnum(o.str("permissionMode"), PermissionModes)
}

func refEnum(value string, list []string) Enum {
	switch i := slices.Index(list, value); {
	case value == "":
		return EnumUnknown
	case i < 0:
		return EnumOther
	default:
		return Enum(i)
	}
}
