//! The inner loops, once for each kind of processor, chosen when the program runs.
//!
//! A [`Kernel`] is a value that can only be had by asking the processor, so holding one proves that its
//! instructions exist. [`dispatch`] runs a [`Task`] inside a function compiled for that processor: everything
//! the task inlines, plain arithmetic included, is then compiled for it too.
//!
//! All kernels give the same integers. Floating-point results may differ in the last bits, where one of
//! them fuses a multiplication with an addition and another does not.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod rows;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod simd;

pub(crate) use rows::Rows;

use crate::DIMENSION;
use portable::Portable;

/// How many outputs a tile computes side by side, and how the weights are packed: blocks of 16 outputs, in
/// each the first four inputs of every output, then the next four, and so on.
pub(crate) const TILE_OUTPUTS: usize = 16;
/// How many inputs of one output lie together in packed weights.
pub(crate) const TILE_INPUTS: usize = 4;

/// The arithmetic that depends on the processor.
pub(crate) trait Kernel: Copy {
    /// What is added to every activation before [`Kernel::tile`], modulo 256: some processors can multiply
    /// eight-bit numbers only when one of the two is unsigned.
    const OFFSET: i32;
    /// The largest `R` for which [`Kernel::tile`] keeps everything in registers.
    const WIDEST_TILE: usize;

    /// Multiplies `R` rows of activations, which lie end to end, with one block of packed weights.
    ///
    /// The signed values of activations and weights must be within -127..=127.
    fn tile<const R: usize>(self, activations: &[u8], weights: &[u8]) -> [[i32; TILE_OUTPUTS]; R];

    /// Computes `a * b + c`, in one rounding where that is faster.
    fn multiply_add(self, a: f32, b: f32, c: f32) -> f32;

    /// Computes the scalar product of `query` with each row; `products` must have a place for each.
    fn dots(self, query: &[i16; DIMENSION], rows: Rows<'_>, products: &mut [i32]);
}

/// Work to be done with whichever kernel the processor has.
///
/// Implement `run` with `#[inline(always)]`, and whatever it calls in loops too, or it is compiled for the
/// oldest processor of the architecture.
pub(crate) trait Task {
    /// What comes out.
    type Output;
    /// Does the work.
    fn run(self, kernel: impl Kernel) -> Self::Output;
}

/// A kernel this processor can run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cpu {
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
    Portable(Portable),
}

impl Cpu {
    /// Returns the fastest kernel of this processor.
    pub(crate) fn detect() -> Cpu {
        Cpu::available().next().unwrap_or(Cpu::Portable(Portable))
    }

    /// Returns every kernel this processor can run, the fastest first.
    pub(crate) fn available() -> impl Iterator<Item = Cpu> {
        let special = [
            #[cfg(target_arch = "x86_64")]
            avx512::Avx512::detect().map(Cpu::Avx512),
            #[cfg(target_arch = "x86_64")]
            avx2::Avx2::detect().map(Cpu::Avx2),
            #[cfg(target_arch = "aarch64")]
            neon::Neon::detect().map(Cpu::Neon),
            Some(Cpu::Portable(Portable)),
        ];
        special.into_iter().flatten()
    }
}

/// Runs a task with the given kernel, compiled for its processor.
pub(crate) fn dispatch<T: Task>(cpu: Cpu, task: T) -> T::Output {
    match cpu {
        #[cfg(target_arch = "x86_64")]
        Cpu::Avx512(kernel) => kernel.run(task),
        #[cfg(target_arch = "x86_64")]
        Cpu::Avx2(kernel) => kernel.run(task),
        #[cfg(target_arch = "aarch64")]
        Cpu::Neon(kernel) => kernel.run(task),
        Cpu::Portable(kernel) => task.run(kernel),
    }
}

#[cfg(test)]
mod tests;
