package dev.varve.platform.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * What the modules of a plugin may be. They bring nothing that the server has already, and of
 * Varve's modules they know the API alone: what a plugin took from inside the server would break
 * with its next release, and nobody could tell why.
 */
final class ModuleRules {
    private static final String SERVER = "dev.varve.platform";
    private static final String ADVICE = "of Varve's modules a plugin may use dev.varve.api alone";

    private final ModuleLayer parent;

    ModuleRules(ModuleLayer parent) {
        this.parent = parent;
    }

    /**
     * Checks one module of a plugin.
     *
     * @throws PluginRejectedException with the rule that it breaks
     */
    void check(ModuleReference module) throws PluginRejectedException {
        ModuleDescriptor descriptor = module.descriptor();
        // A second copy of the API would have its own, incompatible service types.
        if (parent.findModule(descriptor.name()).isPresent()) {
            throw new PluginRejectedException(
                    "it carries module "
                            + descriptor.name()
                            + ", which is part of the server already");
        }
        for (ModuleDescriptor.Requires required : descriptor.requires()) {
            if (isServer(required.name())) {
                throw new PluginRejectedException(
                        "module "
                                + descriptor.name()
                                + " requires "
                                + required.name()
                                + ", which is the inside of the server; "
                                + ADVICE);
            }
        }
        for (String packageName : descriptor.packages()) {
            if (isServer(packageName)) {
                throw new PluginRejectedException(
                        "module "
                                + descriptor.name()
                                + " carries package "
                                + packageName
                                + ", which is the server's");
            }
        }
        if (descriptor.isAutomatic()) {
            checkClasses(module);
        }
    }

    /** A jar without a descriptor requires nothing and reads everything, so its classes tell. */
    private static void checkClasses(ModuleReference module) throws PluginRejectedException {
        try (ModuleReader reader = module.open()) {
            List<String> classes = reader.list().filter(name -> name.endsWith(".class")).toList();
            for (String name : classes) {
                if (usesServer(reader, name)) {
                    throw new PluginRejectedException(
                            "module "
                                    + module.descriptor().name()
                                    + ", which has no descriptor, uses "
                                    + SERVER
                                    + " in "
                                    + name
                                    + "; "
                                    + ADVICE);
                }
            }
        } catch (IOException e) {
            throw new PluginRejectedException(PluginRejectedException.reasonOf(e), e);
        }
    }

    /** Names of classes and packages stand in a class file as they are. */
    private static boolean usesServer(ModuleReader reader, String name) throws IOException {
        Optional<InputStream> found = reader.open(name);
        if (found.isEmpty()) {
            return false;
        }
        try (InputStream bytes = found.get()) {
            String text = new String(bytes.readAllBytes(), StandardCharsets.ISO_8859_1);
            return text.contains(SERVER.replace('.', '/') + '/') || text.contains(SERVER + '.');
        }
    }

    private static boolean isServer(String name) {
        return name.equals(SERVER) || name.startsWith(SERVER + ".");
    }
}
