/**
 * What all modules of the platform share: names and values of settings, and long work that gives
 * way.
 */
module dev.varve.platform.base {
    exports dev.varve.platform.preemption;
    exports dev.varve.platform.setting;
}
