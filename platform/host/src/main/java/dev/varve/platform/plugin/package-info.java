/**
 * Plugins: jars in a folder, each resolved into its own module layer, so that a broken plugin
 * affects no other. Start with {@link dev.varve.platform.plugin.PluginCatalog}.
 */
package dev.varve.platform.plugin;
