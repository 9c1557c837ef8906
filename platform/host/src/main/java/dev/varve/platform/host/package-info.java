/**
 * Opens models for a program: finds the family and the devices among the plugins, chooses a split,
 * starts or reaches the shard processes, and loads the weights.
 *
 * <p>Start with {@link dev.varve.platform.host.HostedModel#open}. {@link
 * dev.varve.platform.host.HostSettings} holds all settings; this package reads no environment
 * variable and no system property. Notes, warnings and progress go to a {@link
 * dev.varve.platform.host.ModelLoadListener}. A shard process offers its resources as an {@link
 * dev.varve.platform.host.InstalledShardResources}.
 *
 * <p>The package is exported, for programs that open models themselves: {@link
 * dev.varve.platform.host.HostSettings} with texts, numbers and paths, {@link
 * dev.varve.platform.host.HostedModel} with texts and token ids. Methods that name types of other
 * packages of the platform, which are not exported, are for the platform itself.
 */
package dev.varve.platform.host;
