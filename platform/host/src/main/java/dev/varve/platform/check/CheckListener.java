package dev.varve.platform.check;

/** Receives the progress of checks, from the thread that runs them. */
public interface CheckListener {
    /**
     * A check begins.
     *
     * @param index number of the check among those of the device, from 0
     */
    void onBegin(int index, CheckGroup group, String name);

    /** The check that began last has a result; more results of it may follow. */
    void onResult(CheckResult result);
}
