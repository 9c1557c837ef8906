/**
 * Preemption of long work: one request lets the work of others run first. Long work calls {@link
 * dev.varve.platform.preemption.PreemptionPoint}; its caller sets the scheduler.
 */
package dev.varve.platform.preemption;
