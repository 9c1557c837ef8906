/**
 * Opens models for a program: finds the family and the devices among the plugins, chooses a split,
 * starts or reaches the shard processes, and loads the weights.
 *
 * <ul>
 *   <li>{@link HostedModel}: a loaded model; start with {@link HostedModel#open};
 *   <li>{@link HostSettings} and {@code ...Settings}: all settings; this package reads no
 *       environment variable and no system property, except {@link CacheFolder}, which a program
 *       may ask for the usual folder;
 *   <li>{@link ModelLoadListener}: notes, warnings and progress;
 *   <li>{@link PreparedModel}, {@link PlacedProbe}, {@link PlacedShardFactory}, {@link
 *       ReplicaFactory}: the steps from settings to shards;
 *   <li>{@link AuxiliaryModels}, {@link SpeculatorFactory}, {@link PrefillDrafterFactory}: draft
 *       models and prefill drafters;
 *   <li>{@link CacheStoreFactory}, {@link CacheNamespace}: stores of cached prefixes;
 *   <li>{@link InstalledShardResources}, {@link SupervisedShard}, {@link ParentProcessMonitor}:
 *       this installation as a shard process.
 * </ul>
 *
 * <p>The package is exported, for programs that open models themselves: {@link HostSettings} with
 * texts, numbers and paths, {@link HostedModel} with texts and token ids. Methods that name types
 * of other packages of the platform, which are not exported, are for the platform itself. It is one
 * package because the factories are steps of {@link PreparedModel} and pass on resources that must
 * be closed in order; most are package-private, so that a program can only open a whole model.
 */
package dev.varve.platform.host;
