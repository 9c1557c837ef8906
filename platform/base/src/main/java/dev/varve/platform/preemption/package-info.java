/**
 * Where long work of one request lets the work of others run first. {@link
 * dev.varve.platform.preemption.PreemptionPoint} is called from within such work; who schedules it
 * is up to the caller.
 */
package dev.varve.platform.preemption;
