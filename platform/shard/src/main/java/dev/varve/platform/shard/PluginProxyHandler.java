package dev.varve.platform.shard;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/** Handles the calls of a proxy for a plugin's object, and holds the plugin's module. */
public interface PluginProxyHandler extends InvocationHandler {
    /** The module's name; several are joined by commas. */
    String module();

    /**
     * Returns the module of the plugin that provides an object; its class if it is in no module.
     */
    static String moduleOf(Object service) {
        Class<?> type = service.getClass();
        if (Proxy.isProxyClass(type)
                && Proxy.getInvocationHandler(service) instanceof PluginProxyHandler guard) {
            return guard.module();
        }
        return type.getModule().isNamed() ? type.getModule().getName() : type.getName();
    }
}
