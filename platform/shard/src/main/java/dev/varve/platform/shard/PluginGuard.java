package dev.varve.platform.shard;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/** Handles the calls of a proxy in front of a plugin's object, and knows the plugin's module. */
public interface PluginGuard extends InvocationHandler {
    /** The module's name; several are joined by commas. */
    String module();

    /**
     * The module of the plugin that a provider, or what it opened, comes from; its class where it
     * is in no module.
     */
    static String moduleOf(Object service) {
        Class<?> type = service.getClass();
        if (Proxy.isProxyClass(type)
                && Proxy.getInvocationHandler(service) instanceof PluginGuard guard) {
            return guard.module();
        }
        return type.getModule().isNamed() ? type.getModule().getName() : type.getName();
    }
}
