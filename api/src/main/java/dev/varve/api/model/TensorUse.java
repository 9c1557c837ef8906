package dev.varve.api.model;

/**
 * How a shard uses a weight; decides where the weight may live (a repacked matrix serves no row
 * lookup).
 *
 * <p>Grows: later versions may add to it, and what is there stays.
 */
public enum TensorUse {
    /** First operand of a matrix product. */
    MATMUL,
    /** First operand of a matrix product chosen per token among experts. */
    EXPERT_MATMUL,
    /** Table whose rows are looked up by token id. */
    ROW_LOOKUP,
    /** Table whose rows are looked up by numbers that a graph computes: it lies on the device. */
    COMPUTED_LOOKUP,
    /** Operand of an element-wise operator: norms, biases, scales. */
    ELEMENTWISE,
    /** Kernel of the causal convolution. */
    CONVOLUTION
}
