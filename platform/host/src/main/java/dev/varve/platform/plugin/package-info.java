/**
 * Plugins: jars in a folder, each resolved into a module layer of its own, so that one that is
 * broken takes nothing else with it. Start with {@link dev.varve.platform.plugin.PluginCatalog}.
 */
package dev.varve.platform.plugin;
