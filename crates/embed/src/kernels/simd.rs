//! What all kernels with vector instructions have in common: detection, compiling a task for the processor, and the checks before
//! their two inner loops. Not here: the inner loops themselves, `tile` and `dot`, which each kernel defines beside its use of this.

/// Defines a kernel whose value proves that the processor has the given features.
///
/// The module that uses it defines `unsafe fn tile` and `unsafe fn dot`.
macro_rules! simd_kernel {
    (
        $(#[$doc:meta])*
        $kernel:ident { features: $features:literal, is_detected: $is_detected:expr, offset: $offset:literal, widest_tile: $widest_tile:literal }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $kernel(());

        impl $kernel {
            pub(super) fn detect() -> Option<$kernel> {
                $is_detected.then_some($kernel(()))
            }

            pub(super) fn run<T: Task>(self, task: T) -> T::Output {
                #[target_feature(enable = $features)]
                fn compiled<T: Task>(kernel: $kernel, task: T) -> T::Output {
                    task.run(kernel)
                }
                // SAFETY: the kernel exists only where all of its features were detected.
                unsafe { compiled(self, task) }
            }
        }

        impl Kernel for $kernel {
            const OFFSET: i32 = $offset;
            const WIDEST_TILE: usize = $widest_tile;

            #[inline(always)]
            fn tile<const R: usize>(self, activations: &[u8], weights: &[u8]) -> [[i32; TILE_OUTPUTS]; R] {
                let inputs = activations.len() / R;
                assert!(weights.len() >= inputs * TILE_OUTPUTS);
                // SAFETY: the kernel exists only where its features were detected; `tile` reads `R * inputs`
                // activations and `inputs * TILE_OUTPUTS` weights, which are there.
                unsafe { tile(activations.as_ptr(), inputs, weights.as_ptr()) }
            }

            #[inline(always)]
            fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
                a.mul_add(b, c)
            }

            #[inline(always)]
            fn dots(self, query: &[i16; DIMENSION], rows: Rows<'_>, products: &mut [i32]) {
                for (row, product) in rows.addresses().zip(products) {
                    // SAFETY: the kernel exists only where its features were detected; a whole row is readable
                    // at `row`.
                    *product = unsafe { dot(query, row) };
                }
            }
        }
    };
}

pub(super) use simd_kernel;
