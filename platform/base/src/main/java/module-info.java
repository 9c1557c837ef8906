/**
 * Types that all modules of the platform share: names and values of settings, digests, fields of
 * log messages, replacement of files, and preemption of long work.
 */
module dev.varve.platform.base {
    exports dev.varve.platform.digest;
    exports dev.varve.platform.file;
    exports dev.varve.platform.log;
    exports dev.varve.platform.preemption;
    exports dev.varve.platform.setting;
}
