package awstest

import (
	"net/http"
	"net/url"
)

// WithTemplate answers for template lt-1 with versions 1 to 3, of which 2 is the
// default.
func (s *Service) WithTemplate() {
	all := map[string]string{
		"1": TemplateVersion("1", "ami-1", "x"), "2": TemplateVersion("2", "ami-2", "x"), "3": TemplateVersion("3", "ami-3", "other"),
	}
	all["$Latest"], all["$Default"] = all["3"], all["2"]
	s.OnCall("DescribeLaunchTemplateVersions", func(f url.Values) string {
		if v := f.Get("LaunchTemplateVersion.1"); v != "" {
			if all[v] == "" {
				return Fail(http.StatusBadRequest, "InvalidLaunchTemplateId.VersionNotFound", "Could not find the specified version "+v+" for the launch template with ID lt-1.")
			}
			return Items("launchTemplateVersionSet", all[v])
		}
		if f.Get("NextToken") == "" {
			return Items("launchTemplateVersionSet", all["3"]) + E("nextToken", "more")
		}
		return Items("launchTemplateVersionSet", all["2"], all["1"])
	})
}
