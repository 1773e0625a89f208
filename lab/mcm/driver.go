package mcm

import (
	"context"
	"errors"

	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"

	"github.com/drainboard/drainboard/lab/vms"
)

// machineDriver makes machines of the virtual machines of package vms.
type machineDriver struct{ vms vms.Client }

var _ driver.Driver = machineDriver{}

func (d machineDriver) CreateMachine(ctx context.Context, r *driver.CreateMachineRequest) (*driver.CreateMachineResponse, error) {
	vm, err := d.vms.Create(ctx, r.Machine.Name, r.MachineClass.Name, r.MachineClass.ProviderSpec.Raw)
	if err != nil {
		return nil, coded(err)
	}
	return &driver.CreateMachineResponse{ProviderID: vm.ID, NodeName: vm.Node}, nil
}

// InitializeMachine is not needed: a VM is complete when it is made.
func (d machineDriver) InitializeMachine(context.Context, *driver.InitializeMachineRequest) (*driver.InitializeMachineResponse, error) {
	return nil, status.Error(codes.Unimplemented, "a machine is complete when it is made")
}

func (d machineDriver) DeleteMachine(ctx context.Context, r *driver.DeleteMachineRequest) (*driver.DeleteMachineResponse, error) {
	if err := d.vms.Delete(ctx, r.Machine.Spec.ProviderID, r.Machine.Name); err != nil {
		return nil, coded(err)
	}
	return &driver.DeleteMachineResponse{}, nil
}

func (d machineDriver) GetMachineStatus(ctx context.Context, r *driver.GetMachineStatusRequest) (*driver.GetMachineStatusResponse, error) {
	list, err := d.vms.List(ctx)
	if err != nil {
		return nil, coded(err)
	}
	for _, vm := range list {
		if id := r.Machine.Spec.ProviderID; vm.ID == id || id == "" && vm.Name == r.Machine.Name {
			return &driver.GetMachineStatusResponse{ProviderID: vm.ID, NodeName: vm.Node}, nil
		}
	}
	return nil, status.Error(codes.NotFound, "no virtual machine "+r.Machine.Name)
}

// ListMachines are the VMs of a class, by their ids; those without a Machine are deleted.
func (d machineDriver) ListMachines(ctx context.Context, r *driver.ListMachinesRequest) (*driver.ListMachinesResponse, error) {
	list, err := d.vms.List(ctx)
	if err != nil {
		return nil, coded(err)
	}
	names := map[string]string{}
	for _, vm := range list {
		if vm.Class == r.MachineClass.Name {
			names[vm.ID] = vm.Name
		}
	}
	return &driver.ListMachinesResponse{MachineList: names}, nil
}

// GetVolumeIDs are the volumes' handles.
func (d machineDriver) GetVolumeIDs(_ context.Context, r *driver.GetVolumeIDsRequest) (*driver.GetVolumeIDsResponse, error) {
	ids := []string{}
	for _, volume := range r.PVSpecs {
		if volume.CSI != nil {
			ids = append(ids, volume.CSI.VolumeHandle)
		}
	}
	return &driver.GetVolumeIDsResponse{VolumeIDs: ids}, nil
}

// coded is an error as drivers must return it.
func coded(err error) error {
	var refusal *vms.Error
	if errors.As(err, &refusal) {
		return status.Error(codes.StringToCode(refusal.Code), refusal.Message)
	}
	return status.Error(codes.Unavailable, err.Error())
}
