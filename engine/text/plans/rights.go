package plans

// RightLeftToAWS is why a right is not checked that only AWS can check.
const RightLeftToAWS = "AWS itself checks it when the group's launch template is set, on all that the template names"

// When rights in the cloud are needed that not every run takes.
const (
	RightForZone   = "where a zone gets no new machine"
	RightForEnd    = "where a run ends early"
	RightForWarm   = "to end the outdated machines of the warm pool"
	RightForRoutes = "to end the wait after a drain early"
	RightForUntag  = "where a machine could not be detached"
)
